// The module "hpke" with the packages of @hpke.
export * from "@hpke/core";
export { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
export { XWing } from "@hpke/hybridkem-x-wing";
export { MlKem1024, MlKem512, MlKem768 } from "@hpke/ml-kem";
