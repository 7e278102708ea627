/** A failure whose message can be shown: it contains nothing of the connection string, of tokens, nor of entries. */
export class MemoryFailure extends Error {}
