# A limb of at most 2^52 either way is a multiple of 2^51 and a rest of at most 2^50 (`settled` of
# crates/x25519-batch/src/field/doubles.rs), exactly.
# Fails with: s/0x1.8p103/0x1p103/g
@d = float<ieee_64, ne>;
f = d(fx);
sum = d(f + 0x1.8p103);
high = d(sum - 0x1.8p103);
rest = d(f - high);

{ @FIX(f, 0) /\ f in [-0x1p52, 0x1p52]
-> # Rounded by at most half of 2^51, and exactly taken off again.
   sum - (f + 0x1.8p103) in [-0x1p50, 0x1p50]
   /\ sum in [0x1p103, 0x1p104]
   /\ high - (sum - 0x1.8p103) in [0, 0]
   /\ @FIX(high, 51)
   # Two multiples of it at most, either way.
   /\ high in [-0x1p52, 0x1p52]
   /\ rest - (f - high) in [0, 0]
   /\ f - high in [-0x1p50, 0x1p50]
}

f - high -> -(sum - (f + 0x1.8p103)) - (high - (sum - 0x1.8p103));
high -> (high - (sum - 0x1.8p103)) + (sum - 0x1.8p103);
