/** A lower and an upper bound of a size or a cost. Saturates at 2^64 as upstream's unsigned integers do. */
export interface Range {
  readonly min: number
  readonly max: number
}

export const saturated = 2 ** 64

export function fixed(value: number): Range {
  return { min: value, max: value }
}

export function addRanges(left: Range, right: Range): Range {
  return { min: saturate(left.min + right.min), max: saturate(left.max + right.max) }
}

export function multiplyRanges(left: Range, right: Range): Range {
  return { min: saturate(left.min * right.min), max: saturate(left.max * right.max) }
}

/** Scales a range and rounds it up to integers. */
export function scaleRange(range: Range, factor: number): Range {
  return {
    min: saturate(Math.ceil(range.min * factor)),
    max: saturate(Math.ceil(range.max * factor)),
  }
}

export function uniteRanges(left: Range, right: Range): Range {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) }
}

function saturate(value: number): number {
  return Math.min(value, saturated)
}
