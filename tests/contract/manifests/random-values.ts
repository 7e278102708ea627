import type { Json, JsonMap } from '../../../services/gittarget/src/document/json.ts'
import type { Random } from './random.ts'

/** Strings that readers of YAML disagree about, or that need care in one of the styles. */
export const trickyStrings = [
  ...['yes', 'no', 'on', 'off', 'y', 'n', 'Yes', 'NO', 'On', 'true', 'False', 'null', 'Null', '~'],
  ...[
    '1_000',
    '0b101',
    '-0x1F',
    '0x1f',
    '0o17',
    '017',
    '089',
    '0420',
    '+12',
    '-0',
    '1e3',
    '1.',
    '.5',
  ],
  ...['1__0', '0b', '-0b11', '+.inf', '.nan', '-.INF', '12:30:45', '1:20', '2026-01-01', '1e999'],
  ...[
    '18446744073709551615',
    '18446744073709551616',
    '-9223372036854775809',
    '0xffffffffffffffffff',
  ],
  ...[
    '<<',
    '=',
    '-',
    '- a',
    '? a',
    '?',
    ':',
    'a: b',
    'a:',
    ':a',
    'a #b',
    '#a',
    '!tag',
    '!!str',
    '&a',
  ],
  ...[
    '*a',
    '|',
    '>',
    '>-',
    '%a',
    '@a',
    '`a`',
    '"',
    "'",
    "it's",
    '"quoted"',
    '[a]',
    '{a}',
    ',',
    'a, b',
  ],
  ...[
    '',
    ' ',
    ' a',
    'a ',
    '\t',
    'a\tb',
    '---',
    '--- a',
    '...',
    '\\',
    'a\\nb',
    'C:\\dir',
    'a\u0000b',
  ],
  ...[
    'a\nb',
    'a\n',
    'a\n\n',
    '\na',
    '\n',
    ' a\nb',
    'a\n b\n',
    'a\n  \nb',
    '\ta\nb',
    'a\r\nb',
    'a\rb',
  ],
  ...['a\u0085b', 'a\u0085b\n', '\u2028', 'x\u2029y\nz', '\ufeffa', 'a\ufffeb', '\u007f', '\u0080'],
  ...[
    'é\n日本\n',
    '😀',
    'a\u0301',
    '\u00a0',
    '\u200b',
    'e5',
    'E+1',
    'inf',
    'Infinity',
    'NaN',
    '__proto__',
  ],
  ...[
    'key: value\nlist:\n  - 1\n',
    '# comment\nx',
    'x\n# y\n',
    '---\na',
    'a\n---\nb',
    '{{ .Values }}',
  ],
]

const characters = [...'abzyYnN01789_.-+:# \n\t"\'[]{},&*!|>%@`\\~=?/é\u0085\u2028😀']

function randomString(random: Random): string {
  if (random.chance(0.6)) return random.pick(trickyStrings)
  if (random.chance(0.5))
    return random.pick(['web', 'nginx:1.27', '10m', 'team/app', 'a b c', 'v1'])
  return Array.from({ length: random.below(8) }, () => random.pick(characters)).join('')
}

function randomKey(random: Random): string {
  const key = random.chance(0.7)
    ? random.pick(['name', 'app', 'size', 'on', 'y', 'image', 'key.example/x', 'a', 'b', 'c', 'd'])
    : randomString(random)
  // Beside `on`, Go chooses one of the two at random.
  return ['true', 'false'].includes(key) ? 'other' : key
}

function randomNumber(random: Random): number | bigint {
  return random.pick<() => number | bigint>([
    () => random.below(1000),
    () => -random.below(10),
    () => BigInt(random.below(2 ** 31)) * 4_294_967_296n + 7n,
    () => random.next() * 10 ** -random.below(20),
    () => (random.below(9) + 1) * 10 ** (22 + random.below(80)),
    () => 0.5,
  ])()
}

function randomScalar(random: Random): Json {
  if (random.chance(0.75)) return randomString(random)
  return random.pick<() => Json>([
    () => randomNumber(random),
    () => random.chance(0.5),
    () => null,
  ])()
}

function randomValue(random: Random, depth: number): Json {
  if (depth === 0 || random.chance(0.55)) return randomScalar(random)
  if (random.chance(0.4)) {
    return Array.from({ length: random.below(4) }, () =>
      random.chance(0.3)
        ? { name: random.pick(['a', 'b', 'c']), value: randomScalar(random) }
        : randomValue(random, depth - 1),
    )
  }
  return randomMap(random, depth - 1)
}

function randomMap(random: Random, depth: number): JsonMap {
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [randomKey(random), randomValue(random, depth)]),
  )
}

/** An object of any kind. Its identity is that of the name. */
export function randomObject(random: Random, name: string): JsonMap {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'team', labels: { app: randomString(random) } },
    spec: randomMap(random, 2),
    data: randomMap(random, 1),
  }
}

/** A changed copy. `isValue`: whether only values of scalars changed. */
export function mutated(random: Random, object: JsonMap): { object: JsonMap; isValue: boolean } {
  const isValue = random.chance(0.4)
  let next = object
  for (const part of ['spec', 'data']) {
    const value = next[part]
    if (value === undefined || random.chance(0.3)) continue
    const other = changed(random, value, isValue)
    next = { ...next, [part]: other }
  }
  return { object: next, isValue }
}

function changed(random: Random, value: Json, isValue: boolean): Json {
  if (Array.isArray(value)) return changedList(random, value, isValue)
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as Record<string, Json>)
    if (!isValue && random.chance(0.3)) entries.push([randomKey(random), randomValue(random, 1)])
    if (!isValue && random.chance(0.2)) entries.splice(random.below(entries.length || 1), 1)
    const at = random.below(entries.length)
    return Object.fromEntries(
      entries.map(([key, member], index) => [
        key,
        index === at || random.chance(0.2) ? changed(random, member, isValue) : member,
      ]),
    )
  }
  return isValue ? randomLine(random) : randomValue(random, 1)
}

/** A string that fits in place of any other scalar. */
function randomLine(random: Random): string {
  return randomString(random).replaceAll('\n', ' ')
}

function changedList(random: Random, list: readonly Json[], isValue: boolean): Json {
  const items = list.map((item) => (random.chance(0.3) ? changed(random, item, isValue) : item))
  if (isValue) return items
  if (random.chance(0.3)) items.splice(random.below(items.length + 1), 0, randomValue(random, 1))
  if (random.chance(0.2)) items.splice(random.below(items.length || 1), 1)
  if (random.chance(0.2)) items.reverse()
  return items
}
