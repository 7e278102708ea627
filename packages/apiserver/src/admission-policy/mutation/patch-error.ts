/** A mutation that cannot be applied. The failure policy decides whether the request is denied. */
export class PatchError extends Error {}
