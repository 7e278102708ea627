/**
 * Whether the whole of a long suite runs. The gate takes one example where others differ in a name, a version or a
 * server only. A test that is run by its name runs whole.
 */
export const isFull = process.env.TEST_TIER !== 'gate'
