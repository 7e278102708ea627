import { sameJson } from '@agents/kube'
import { flowText } from './flow-text.ts'
import { isMap as isJsonMap, type JsonMap } from './json.ts'
import { SourceText } from './source-text.ts'
import { doubtful, parseSource, type SourceDocument } from './source-tree.ts'
import { NotEditable, TreeEditor } from './tree-editor.ts'
import { writeManifest } from './write-manifest.ts'

/** The new text of a document. */
interface EditedManifest {
  readonly text: string
  /** Whether the text could not be edited and was written from scratch, without its comments. */
  readonly isRewritten: boolean
}

/**
 * Changes the text of a document so that it describes the object. Everything that need not change keeps its bytes; a
 * text that already describes the object is returned as it is. A text that cannot be edited is replaced.
 */
export function editManifest(text: string, object: JsonMap): EditedManifest {
  const canonical = writeManifest(object)
  if (text === canonical) return { text, isRewritten: false }
  const document = parseOne(text)
  const value = readable(text, document)
  if (value !== undefined && sameJson(value, object)) return { text, isRewritten: false }
  // The mirror wrote the text and it was not edited, so there is nothing to keep.
  if (value !== undefined && writeManifest(value) === text) {
    return { text: canonical, isRewritten: false }
  }
  const edited = document && editedText(text, document, object)
  if (edited !== undefined && sameJson(readable(edited, parseOne(edited)), object)) {
    return { text: edited, isRewritten: false }
  }
  return { text: rewritten(text, object), isRewritten: true }
}

/** The value of a document; undefined if readers could interpret it differently. */
export function readDocument(text: string): JsonMap | undefined {
  return readable(text, parseOne(text))
}

function readable(text: string, document: SourceDocument | undefined): JsonMap | undefined {
  const value = document?.root?.value
  return isJsonMap(value) && !doubtful.test(text) ? value : undefined
}

function parseOne(text: string): SourceDocument | undefined {
  const [document, ...others] = parseSource(text) ?? []
  return others.length === 0 ? document : undefined
}

/** Undefined if the text cannot be edited. */
function editedText(
  text: string,
  { root, hasAliases }: SourceDocument,
  object: JsonMap,
): string | undefined {
  if (root === undefined) return undefined
  try {
    const editor = new TreeEditor(new SourceText(text), hasAliases)
    return editor.value(root, object) ? editor.text : undefined
  } catch (error) {
    if (error instanceof NotEditable) return undefined
    throw error
  }
}

function rewritten(text: string, object: JsonMap): string {
  const { isJson, jsonUnit: unit } = new SourceText(text)
  if (isJson) {
    return `${flowText(object, { isJson, lines: { start: '\n', unit: unit ?? '  ' } })}\n`
  }
  return `${separator.test(text) ? '---\n' : ''}${writeManifest(object)}`
}

/**
 * The line that separates a document from the one before, below comments and directives. Each line can be read in one
 * way only: two would double the work with each line.
 */
const separator = /^(?:[ \t]*(?:#[^\n]*|\r)?\n|%[^\n]*\n)*---(?=\s|$)/
