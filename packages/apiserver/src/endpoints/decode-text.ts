import type { Json } from '@agents/crd'
import { isMap, isScalar, isSeq, type Node, parseDocument, type YAMLError } from 'yaml'
import { parseJson } from '../json/parse-json.ts'
import { duplicateFields } from './duplicate-fields.ts'
import { jsonSyntaxProblem } from './json-syntax.ts'

export interface DecodedText {
  readonly value: Json
  /** Paths of fields that are set twice: `spec.replicas`. The last one counts. */
  readonly duplicates: readonly string[]
}

/** Throws SyntaxError with a message in the manner of Go's decoder. */
export function decodeJson(bytes: Buffer): DecodedText {
  const text = bytes.toString('utf8')
  try {
    const value = parseJson(text)
    return { value, duplicates: duplicateFields(text, value) }
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
  // Aliases may blow a small text up to any size.
  return { value: plain(document.toJS({ maxAliasCount: 100 })), duplicates }
}

function yamlProblem({ message, linePos }: YAMLError): string {
  const line = linePos?.[0].line
  const text = message.split(/ at line \d+/)[0] ?? message
  return line === undefined || line === 1 ? `yaml: ${text}` : `yaml: line ${line}: ${text}`
}

function plain(value: unknown): Json {
  if (typeof value === 'bigint') {
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(value)
      : value
  }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]))
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
