import { isDeepStrictEqual } from 'node:util'

const longest = 300

/** The differences between two values, one line each: the path, the expected and the actual value. */
export function compare(expected: unknown, got: unknown, path = ''): string[] {
  if (isDeepStrictEqual(expected, got)) return []
  if (Array.isArray(expected) && Array.isArray(got)) {
    return compareKeys([...expected.keys(), ...got.keys()], expected, got, path)
  }
  if (isRecord(expected) && isRecord(got)) {
    return compareKeys([...Object.keys(expected), ...Object.keys(got)], expected, got, path)
  }
  return [`${path}: expected ${brief(expected)}, got ${brief(got)}`]
}

function compareKeys(
  keys: readonly (string | number)[],
  expected: object,
  got: object,
  path: string,
): string[] {
  return [...new Set(keys)].flatMap((key) =>
    compare(Reflect.get(expected, key), Reflect.get(got, key), `${path}/${key}`),
  )
}

function brief(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, longest)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
