/** What a plain scalar stands for. Undefined if the value has no place in JSON, such as infinity. */
type PlainValue = null | boolean | bigint | number | string | undefined

/**
 * The value of a plain scalar as kubectl, Flux and Argo CD read it: by the rules of `sigs.k8s.io/yaml`, which are
 * mostly those of YAML 1.1. For them `on` is a boolean, `0420` is 272 and `1_000` is a number.
 */
export function plainValue(text: string): PlainValue {
  const word = words.get(text)
  if (word !== undefined) return word
  if (nonFinite.test(text)) return undefined
  const first = text.charAt(0)
  if (first === '.') return floatOf(text) ?? text
  if (!/[0-9+-]/.test(first)) return text
  const digits = text.replaceAll('_', '')
  return integerOf(digits) ?? floatOf(digits) ?? text
}

const words = new Map<string, boolean | null>([
  ...spelled(true, ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']),
  ...spelled(false, ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']),
  ...spelled(null, ['', '~', 'null', 'Null', 'NULL']),
])

function spelled<T>(value: T, texts: readonly string[]): [string, T][] {
  return texts.map((text) => [text, value])
}

const nonFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

const integer =
  /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]([0-7]+)|0([0-7]+)|(0|[1-9][0-9]*))$/

/**
 * An integer of 64 bits; undefined for larger ones, which are read as floats or strings. Those that need all 64 bits
 * for their magnitude are floats in Kubernetes.
 */
function integerOf(digits: string): bigint | number | undefined {
  const [, sign, hex, binary, octal, oldOctal, decimal] = integer.exec(digits) ?? []
  if (sign === undefined) return undefined
  const magnitude = BigInt(
    (hex && `0x${hex}`) ??
      (binary && `0b${binary}`) ??
      `${(octal ?? oldOctal) ? '0o' : ''}${octal ?? oldOctal ?? decimal}`,
  )
  const value = sign === '-' ? -magnitude : magnitude
  const largest = sign === '' ? 2n ** 64n - 1n : 2n ** 63n - 1n
  if (value < -(2n ** 63n) || value > largest) return undefined
  return value < 2n ** 63n ? value : Number(value)
}

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

function floatOf(text: string): number | undefined {
  if (!float.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
