/** Sorts versions as clients prefer them: v2, v1, v2beta1, v1beta2, v1alpha1, and then others by the alphabet. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a)
  const right = parse(b)
  if (left === undefined && right === undefined) return a < b ? -1 : a > b ? 1 : 0
  if (left === undefined) return 1
  if (right === undefined) return -1
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor
}

const stabilities = ['alpha', 'beta', '']

function parse(text: string): { stability: number; major: number; minor: number } | undefined {
  const found = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(text)
  if (found === null) return undefined
  const [, major, stability = '', minor = '0'] = found
  return { stability: stabilities.indexOf(stability), major: Number(major), minor: Number(minor) }
}
