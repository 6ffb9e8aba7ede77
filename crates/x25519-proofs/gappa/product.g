# A product of limbs is taken apart exactly (`parts` of crates/x25519-batch/src/field/doubles.rs, `product`
# of crates/x25519-relaxed/src/field.rs): f is a carried limb, a difference of two or twice one, g a carried
# limb. Carried limbs are whole numbers of at most 2^50 + 2^13 either way, in x25519-batch of less.
# Fails with: s/0x1.0000000004p51/0x1p53/
@d = float<ieee_64, ne>;
f = d(fx);
g = d(gx);
p = f * g;
high = d(p + 0x1.8p103);
rest = d(0x1.8p103 + 0x1.8p52 - high);
low = d(rest + p);

{ @FIX(f, 0) /\ @FIX(g, 0)
  /\ f in [-0x1.0000000004p51, 0x1.0000000004p51]
  /\ g in [-0x1.0000000008p50, 0x1.0000000008p50]
-> # Rounded to a multiple of 2^51, by at most half of it.
   high - (p + 0x1.8p103) in [-0x1p50, 0x1p50]
   /\ @FIX(high, 51)
   # Of one exponent: its bits are a constant and high / 2^51.
   /\ high in [0x1p103, 0x1p104]
   # Exact, and of one exponent: the bits are a constant and the rest of the product.
   /\ rest - (0x1.8p103 + 0x1.8p52 - high) in [0, 0]
   /\ low - (rest + p) in [0, 0]
   /\ low in [0x1p52, 0x1p53]
   /\ rest + p - 0x1.8p52 in [-0x1p50, 0x1p50]
}

rest + p - 0x1.8p52 -> -(high - (p + 0x1.8p103)) + (rest - (0x1.8p103 + 0x1.8p52 - high));
rest + p -> (rest + p - 0x1.8p52) + 0x1.8p52;
