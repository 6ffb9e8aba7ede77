# A carried limb is a difference of doubles, exactly (`carried` of crates/x25519-batch/src/field/doubles.rs and
# crates/x25519-relaxed/src/field.rs). The first is of the bits of 2^52 with a low part below 2^51 and a carry,
# or 19 carries, added: a whole number from 2^52 to 2^53. The second is what it has too much.
# Fails with: s/@FIX(x, 0).*/x in [0x1p2, 0x1p53]/
@d = float<ieee_64, ne>;
x = d(xx);
next = d(x - 0x1.4000000000400p52);
first = d(x - 0x1.4000000004c00p52);

{ @FIX(x, 0) /\ x in [0x1p52, 0x1p53]
-> next - (x - 0x1.4000000000400p52) in [0, 0]
   /\ first - (x - 0x1.4000000004c00p52) in [0, 0]
}
