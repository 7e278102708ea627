import { checkWorkLimit, type Json } from '@agents/crd'
import { parseJson } from '@agents/kube'
import type { Document, LineCounter, Node, YAMLError } from 'yaml'
import { jsonSyntaxProblem } from '../json/json-syntax.ts'
import { yamlLibrary } from '../json/yaml-library.ts'
import { checkYamlWeight } from '../request/body-weight.ts'
import { duplicateFields, shapeOfText } from './duplicate-fields.ts'
import { duplicateField } from './field-problems.ts'
import { checkJsonAsYaml, checkYamlEscapes } from './yaml-limits.ts'
import { yamlText } from './yaml-octets.ts'

export interface DecodedText {
  readonly value: Json
  /** A message for each field that is set twice. The last value wins. */
  readonly duplicates: readonly string[]
  /** True for YAML, whose duplicates upstream reports as one problem, since it parses the whole text first. */
  readonly isYaml: boolean
  /** The text, if it is JSON. */
  readonly text?: string
}

/** Deeper than any real object, and shallow enough for recursive functions. */
const maxDepth = 500
const tooDeep = 'exceeded max depth'

/** Parses a body as JSON or YAML. Throws SyntaxError with the message of Go's decoder. */
export function decodeJson(bytes: Buffer): DecodedText {
  return decodeJsonText(bytes, jsonSyntaxProblem)
}

function decodeJsonText(bytes: Buffer, problemOf: (text: string) => string): DecodedText {
  const text = bytes.toString('utf8')
  // Checked before parsing, since the parser overflows the stack for deeply nested texts.
  const shape = shapeOfText(text)
  if (shape.depth > maxDepth) throw new SyntaxError(tooDeep)
  try {
    const value = parseJson(text) as Json
    const paths = duplicateFields(text, value, shape)
    return { value, duplicates: paths.map(duplicateField), isYaml: false, text }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SyntaxError(problemOf(text), { cause: error })
  }
}

/** Parses YAML 1.1 like sigs.k8s.io/yaml: `yes` is true, `0777` octal, `12:30` a string. */
export function decodeYaml(bytes: Buffer): DecodedText {
  const text = yamlText(bytes)
  if (/^\s*\{/.test(text)) {
    const decoded = asJson(bytes)
    if (decoded !== undefined) checkJsonAsYaml(text)
    if (decoded?.duplicates.length === 0) return decoded
    checkYamlWeight(bytes)
  }
  checkWorkLimit(yamlSteps(text))
  const { LineCounter, parseDocument } = yamlLibrary()
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.1',
    intAsBigInt: true,
    uniqueKeys: false,
    customTags: (tags) =>
      tags.filter(
        (tag) =>
          typeof tag === 'string' ||
          (tag.format !== 'TIME' && tag.tag !== 'tag:yaml.org,2002:timestamp'),
      ),
  })
  const [problem] = document.errors
  if (problem !== undefined) throw new SyntaxError(yamlProblem(problem))
  checkYamlEscapes(document, text)
  const duplicates: string[] = []
  findDuplicateKeys(document.contents, lines, duplicates)
  return { value: plain(expanded(document), 0), duplicates, isYaml: true }
}

/**
 * Characters that may begin a token, and so a value or an error, each of which costs the library tens of microseconds.
 */
const yamlMark = /[^\w \t./]/g

function yamlSteps(text: string): number {
  let marks = 0
  yamlMark.lastIndex = 0
  while (marks <= 1_000 && yamlMark.test(text)) marks++
  return longestDigits(text) > maxDigits ? Number.POSITIVE_INFINITY : 20 * marks + text.length / 20
}

/** The library parses longer integers in more than linear time. */
const maxDigits = 10_000

function longestDigits(text: string): number {
  let longest = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    run = (code >= 0x30 && code <= 0x39) || code === 0x5f ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest
}

/** YAML in flow style starts with a brace, too. */
function asJson(bytes: Buffer): DecodedText | undefined {
  try {
    return decodeJsonText(bytes, () => 'invalid JSON')
  } catch {
    return undefined
  }
}

function yamlProblem({ message, linePos }: YAMLError): string {
  const line = linePos?.[0].line
  const text = message.split(/ at line \d+/)[0] ?? message
  return line === undefined || line === 1 ? `yaml: ${text}` : `yaml: line ${line}: ${text}`
}

/** Expands aliases. The parser limits them, since a small text may expand to any size. */
function expanded(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    if (error instanceof ReferenceError) {
      throw new SyntaxError('yaml: document contains excessive aliasing', { cause: error })
    }
    // The only errors that expansion adds to parsing are about merge keys.
    const problem = 'yaml: map merge requires map or sequence of maps as the value'
    throw new SyntaxError(problem, { cause: error })
  }
}

/** Rejects values that are nested too deeply, including anchors that contain their own alias. */
function plain(value: unknown, depth: number): Json {
  if (depth > maxDepth) throw new SyntaxError(`yaml: ${tooDeep}`)
  if (typeof value === 'bigint') {
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(value)
      : value
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const text = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    throw new SyntaxError(`json: unsupported value: ${text}`)
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, plain(part, depth + 1)]),
    )
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  return null
}

function findDuplicateKeys(node: Node | null | unknown, lines: LineCounter, found: string[]): void {
  const { isMap, isScalar, isSeq } = yamlLibrary()
  if (isSeq(node)) for (const item of node.items) findDuplicateKeys(item, lines, found)
  if (!isMap(node)) return
  const seen = new Set<string>()
  for (const { key, value } of node.items) {
    if (isMap(key) || isSeq(key)) throw new SyntaxError('yaml: invalid map key')
    const name = isScalar(key) ? String(key.value) : String(key)
    if (seen.has(name)) {
      const { line } = lines.linePos(isScalar(key) ? (key.range?.[0] ?? 0) : 0)
      found.push(`line ${line}: key ${JSON.stringify(name)} already set in map`)
    }
    seen.add(name)
    findDuplicateKeys(value, lines, found)
  }
}
