# A limb and 2^-51 times a multiple of 2^51, or 19 times that, is exact and carried (`up` of
# crates/x25519-batch/src/field/doubles.rs): at most 2^50 + 2^10 either way.
# Fails with: s/0x1p53/0x1p62/
@d = float<ieee_64, ne>;
f = d(fx);
high = d(highx);
next = d(f + high * 0x1p-51);
first = d(f + high * 0x13p-51);

{ @FIX(f, 0) /\ @FIX(high, 51)
  /\ f in [-0x1p50, 0x1p50]
  /\ high in [-0x1p53, 0x1p53]
-> next - (f + high * 0x1p-51) in [0, 0]
   /\ first - (f + high * 0x13p-51) in [0, 0]
   /\ next in [-0x1.0000000004p50, 0x1.0000000004p50]
   /\ first in [-0x1.0000000004p50, 0x1.0000000004p50]
}

next -> (next - (f + high * 0x1p-51)) + (f + high * 0x1p-51);
first -> (first - (f + high * 0x13p-51)) + (f + high * 0x13p-51);
