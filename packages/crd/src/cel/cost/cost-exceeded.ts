/** Thrown if an evaluation exceeds its cost limit. No operator absorbs it. */
export class CostExceeded extends Error {
  override name = 'CostExceeded'
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}
