# f + 121665 e of carried limbs, before it is settled (`add_a24` of crates/x25519-batch/src/field/doubles.rs):
# the product is taken apart exactly, the sums of f, its rest and a carry are exact, and at most 2^52.
# Fails with: s/121665/12166500/
@d = float<ieee_64, ne>;
f = d(fx);
e = d(ex);
p = e * 121665;
sum = d(p + 0x1.8p103);
high = d(sum - 0x1.8p103);
low = d(p - high);
h = d(f + low);
other = d(otherx);
next = d(h + other * 0x1p-51);
first = d(h + other * 0x13p-51);

{ @FIX(f, 0) /\ @FIX(e, 0) /\ @FIX(other, 51)
  /\ f in [-0x1.0000000004p50, 0x1.0000000004p50]
  /\ e in [-0x1.0000000004p50, 0x1.0000000004p50]
  # The multiple of 2^51 of another limb.
  /\ other in [-0x1.ep66, 0x1.ep66]
-> sum - (p + 0x1.8p103) in [-0x1p50, 0x1p50]
   /\ sum in [0x1p103, 0x1p104]
   /\ high - (sum - 0x1.8p103) in [0, 0]
   /\ @FIX(high, 51)
   /\ low - (p - high) in [0, 0]
   /\ p - high in [-0x1p50, 0x1p50]
   /\ high in [-0x1.ep66, 0x1.ep66]
   /\ h - (f + low) in [0, 0]
   /\ next - (h + other * 0x1p-51) in [0, 0]
   /\ first - (h + other * 0x13p-51) in [0, 0]
   /\ next in [-0x1p52, 0x1p52]
   /\ first in [-0x1p52, 0x1p52]
}

p - high -> -(sum - (p + 0x1.8p103)) - (high - (sum - 0x1.8p103));
high -> (high - (sum - 0x1.8p103)) + (sum - 0x1.8p103);
sum - 0x1.8p103 -> (sum - (p + 0x1.8p103)) + p;
