import type { Json } from '@agents/crd'
import { parseJson } from '@agents/kube'
import type { Document, LineCounter, Node, YAMLError } from 'yaml'
import { yamlLibrary } from '../json/yaml-library.ts'
import { duplicateFields, shapeOfText } from './duplicate-fields.ts'
import { jsonSyntaxProblem } from './json-syntax.ts'
import { checkJsonAsYaml, checkYamlEscapes } from './yaml-limits.ts'
import { yamlText } from './yaml-octets.ts'

export interface DecodedText {
  readonly value: Json
  /** A sentence on each field that is set twice; the last one counts. */
  readonly duplicates: readonly string[]
  /** YAML is read as a whole before its fields are looked at, so its duplicates are told as one problem. */
  readonly isYaml: boolean
}

/** Deeper than anything people write, and shallow enough for every recursion over it. */
const maxDepth = 500
const tooDeep = 'exceeded max depth'

/** Throws SyntaxError with a message in the manner of Go's decoder. */
export function decodeJson(bytes: Buffer): DecodedText {
  const text = bytes.toString('utf8')
  // Before parsing: the parser itself gives up on a well without a bottom.
  const shape = shapeOfText(text)
  if (shape.depth > maxDepth) throw new SyntaxError(tooDeep)
  try {
    const value = parseJson(text) as Json
    const paths = duplicateFields(text, value, shape)
    const duplicates = paths.map((path) => `duplicate field ${JSON.stringify(path)}`)
    return { value, duplicates, isYaml: false }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SyntaxError(jsonSyntaxProblem(text), { cause: error })
  }
}

/** YAML 1.1 scalars as sigs.k8s.io/yaml reads them: `yes` is true, `0777` octal, `12:30` a string. */
export function decodeYaml(bytes: Buffer): DecodedText {
  const text = yamlText(bytes)
  if (/^\s*\{/.test(text)) {
    const decoded = asJson(bytes)
    if (decoded !== undefined) checkJsonAsYaml(text)
    if (decoded?.duplicates.length === 0) return decoded
  }
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

/** Flow style YAML starts with a brace, too. */
function asJson(bytes: Buffer): DecodedText | undefined {
  try {
    return decodeJson(bytes)
  } catch {
    return undefined
  }
}

function yamlProblem({ message, linePos }: YAMLError): string {
  const line = linePos?.[0].line
  const text = message.split(/ at line \d+/)[0] ?? message
  return line === undefined || line === 1 ? `yaml: ${text}` : `yaml: line ${line}: ${text}`
}

/** Aliases may blow a small text up to any size; the parser counts them. */
function expanded(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    if (error instanceof ReferenceError) {
      throw new SyntaxError('yaml: document contains excessive aliasing', { cause: error })
    }
    // What parsing lets through and expanding refuses are merge keys.
    const problem = 'yaml: map merge requires map or sequence of maps as the value'
    throw new SyntaxError(problem, { cause: error })
  }
}

/** An anchor that contains its own alias has no end: depth finds it. */
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
