import type { Random } from '../fuzz/random.ts'
import {
  configMaps,
  core,
  definitions,
  json,
  type LargeRequest,
  list,
  type Make,
  patch,
  send,
  tried,
  widgets,
} from './large-request.ts'

const jsonTexts: readonly ((n: number) => string)[] = [
  (n) => `[${'1,'.repeat(n)}1]`,
  (n) => `{${list(n, (at) => `"a":${at}`).join(',')}}`,
  (n) => `{"data":{${list(n, (at) => `"k${at % 99}":"x"`).join(',')}}}`,
  (n) => nest(n, '[', ']'),
  (n) => nest(n, '{"a":', '}'),
  (n) => `[${'9007199254740993,'.repeat(n)}1]`,
  (n) => `{"a":"${'\\'.repeat(n)}`,
  (n) => `{"a":"${'\\u0000'.repeat(n)}"}`,
  (n) => `${' '.repeat(n)}x`,
  (n) => `[${'{"a":1},'.repeat(n)}`,
  (n) => '"'.repeat(n),
  (n) => `{"a":1e${'9'.repeat(n)}}`,
]

const yamlTexts: readonly ((n: number) => string)[] = [
  (n) => `x: [${'1,'.repeat(n)}1]`,
  (n) => list(n, (at) => `k${at}: 1`).join('\n'),
  (n) => `a:\n${'- 1\n'.repeat(n)}`,
  (n) => `a: &a {b: 1}\n${list(n, (at) => `k${at}: *a`).join('\n')}`,
  (n) =>
    list(n, (at) => `a${at}: &a${at} [${'*a'.concat(String(at - 1), ',').repeat(9)}]`).join('\n'),
  (n) => `a: &a {b: 1}\n${list(n, (at) => `k${at}: {<<: *a}`).join('\n')}`,
  (n) => `- ${'- '.repeat(n)}1`,
  (n) => `${'? '.repeat(n)}1`,
  (n) => `${'#\n'.repeat(n)}a: 1`,
  (n) => '---\n'.repeat(n),
  (n) => `a: |\n${' x\n'.repeat(n)}`,
  (n) => `a: "${'x\n '.repeat(n)}"`,
  (n) => `a: ${'x '.repeat(n)}`,
  (n) => `${'!!x '.repeat(n)}a`,
  (n) => nest(n, '[', ']'),
  (n) => nest(n, '{a: ', '}'),
  (n) => `{${list(n, (at) => `k${at}: `).join(',')}}`,
  (n) => list(n, (at) => `${' '.repeat(at % 400)}a:`).join('\n'),
  (n) => `${'\t'.repeat(n)}a: 1`,
  (n) => `a: ${'1'.repeat(n)}`,
  (n) => `a: ${'1:'.repeat(n)}`,
  (n) => `a: 0x${'f_'.repeat(n)}`,
]

const rawTargets = [configMaps, widgets, definitions, `${core}/pods`] as const

/** Bodies that are not objects: texts of JSON and YAML, valid or not, and protobuf messages. */
export const raw: readonly Make[] = [
  (n, random) => {
    const text = jsonTexts[random.integer(jsonTexts.length)]?.(n) ?? ''
    return send(tried(random, random.pick(rawTargets)), text)
  },
  (n, random) => {
    const text = jsonTexts[random.integer(jsonTexts.length)]?.(n) ?? ''
    const form = random.pick(['merge-patch+json', 'json-patch+json', 'apply-patch+yaml'])
    return patch(`${widgets}/first?fieldManager=m`, form, text)
  },
  (n, random) => {
    const text = yamlTexts[random.integer(yamlTexts.length)]?.(n) ?? ''
    return send(tried(random, random.pick(rawTargets)), text, { type: 'application/yaml' })
  },
  (n, random) => {
    const text = yamlTexts[random.integer(yamlTexts.length)]?.(n) ?? ''
    return patch(`${configMaps}/settings?fieldManager=m`, 'apply-patch+yaml', text)
  },
  (n, random) =>
    protobuf(
      random,
      list(n, (at) => delimited(1, Buffer.from(`k${at}`))),
    ),
  (n, random) =>
    protobuf(
      random,
      list(n, () => Buffer.from([0x12, 0])),
    ),
  (n, random) =>
    protobuf(
      random,
      list(n, () => Buffer.from([0xf8, 0x07, 1])),
    ),
  (n, random) => protobuf(random, [Buffer.alloc(n, random.integer(256))]),
]

/** Selectors of lists. */
export const selectors: readonly Make[] = [
  (n) => query('labelSelector', `a in (${list(Math.min(n, 20_000), (at) => at).join(',')})`),
  (n) => query('labelSelector', list(Math.min(n, 20_000), (at) => `k${at}!=v`).join(',')),
  (n) => query('labelSelector', '('.repeat(Math.min(n, 100_000))),
  (n) => query('fieldSelector', list(Math.min(n, 10_000), () => 'metadata.name!=a').join(',')),
  (n) => query('fieldSelector', '\\\\='.repeat(Math.min(n, 30_000))),
]

function query(name: string, value: string): LargeRequest {
  const text = encodeURIComponent(value).slice(0, 200_000).replace(/%.?$/, '')
  return {
    method: 'GET',
    target: `${configMaps}?${name}=${text}`,
    type: json,
    body: Buffer.alloc(0),
  }
}

function protobuf(random: Random, content: readonly Buffer[]): LargeRequest {
  const type = Buffer.concat([
    delimited(1, Buffer.from('v1')),
    delimited(2, Buffer.from('ConfigMap')),
  ])
  const metadata = delimited(1, delimited(1, Buffer.from('protobuf')))
  const object = Buffer.concat([metadata, ...content.map((one) => delimited(2, one))])
  const body = Buffer.concat([Buffer.from('k8s\0'), delimited(1, type), delimited(2, object)])
  return send(tried(random, configMaps), body, { type: 'application/vnd.kubernetes.protobuf' })
}

function delimited(number: number, bytes: Buffer): Buffer {
  const length: number[] = []
  for (let rest = bytes.length; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) {
      length.push(rest)
      return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes])
    }
    length.push((rest % 128) + 128)
  }
}

function nest(levels: number, open: string, close: string): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`
}
