import type { Json } from '@agents/crd'
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type YAMLError,
} from 'yaml'
import { parseJson } from '../json/parse-json.ts'
import { duplicateFields, shapeOfText } from './duplicate-fields.ts'
import { jsonSyntaxProblem } from './json-syntax.ts'

export interface DecodedText {
  readonly value: Json
  /** Paths of fields that are set twice: `spec.replicas`. The last one counts. */
  readonly duplicates: readonly string[]
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
    const value = parseJson(text)
    return { value, duplicates: duplicateFields(text, value, shape) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SyntaxError(jsonSyntaxProblem(text), { cause: error })
  }
}

/** YAML 1.1 scalars as sigs.k8s.io/yaml reads them: `yes` is true, `0777` octal, `12:30` a string. */
export function decodeYaml(bytes: Buffer): DecodedText {
  const text = bytes.toString('utf8')
  if (/^\s*\{/.test(text)) {
    try {
      return decodeJson(bytes)
    } catch {
      // Flow style YAML starts with a brace too.
    }
  }
  const document = parseDocument(text, {
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
  const duplicates: string[] = []
  findDuplicateKeys(document.contents, '', duplicates)
  return { value: plain(expanded(document), 0), duplicates }
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
    if (!(error instanceof ReferenceError)) throw error
    throw new SyntaxError('yaml: document contains excessive aliasing', { cause: error })
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

function findDuplicateKeys(node: Node | null | unknown, path: string, found: string[]): void {
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      findDuplicateKeys(item, `${path}[${index}]`, found)
    }
  }
  if (!isMap(node)) return
  const seen = new Set<string>()
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : String(key)
    const child = path === '' ? name : `${path}.${name}`
    if (seen.has(name)) found.push(child)
    seen.add(name)
    findDuplicateKeys(value, child, found)
  }
}
