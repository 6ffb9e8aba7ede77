# Carried limbs, with p added, are the lowest bits of doubles, and limbs of integers are doubles, both
# exactly (`to_integers` and `from_integers` of crates/x25519-batch/src/field/doubles.rs).
# Fails with: s/0x1.0000000004p50/0x1p53/g
@d = float<ieee_64, ne>;
f = d(fx);
others = d(f + 0x1.7ffffffffffffp52);
first = d(f + 0x1.7ffffffffffedp52);
bits = d(bitsx);
limb = d(bits - 0x1p52);

{ @FIX(f, 0) /\ f in [-0x1.0000000004p50, 0x1.0000000004p50]
  # 2^52 with an integer below 2^51 added to its bits.
  /\ @FIX(bits, 0) /\ bits - 0x1p52 in [0, 0x1p51]
-> others - (f + 0x1.7ffffffffffffp52) in [0, 0]
   /\ first - (f + 0x1.7ffffffffffedp52) in [0, 0]
   /\ others in [0x1p52, 0x1p53]
   /\ first in [0x1p52, 0x1p53]
   /\ limb - (bits - 0x1p52) in [0, 0]
}
