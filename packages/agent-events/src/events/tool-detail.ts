import { isObject, type JsonObject } from './agent-event.ts'

/** The argument that tells most about a call, by the names that the tools of the CLIs use. */
const tellingNames = [
  'command',
  'file_path',
  'filePath',
  'absolute_path',
  'path',
  'dir_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'name',
]

/** What a tool is called with, on one line: its most telling argument, or all of them as JSON. */
export function toolDetail(input: unknown): string {
  if (typeof input === 'string') return input
  if (!isObject(input)) return input === undefined || input === null ? '' : JSON.stringify(input)
  const telling = tellingNames.find((name) => isTelling(input[name]))
  if (telling !== undefined) return commandText(input[telling])
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

function isTelling(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || isWords(value)
}

function commandText(value: unknown): string {
  return isWords(value) ? value.join(' ') : String(value)
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')
}

/** The file that a call of an editing tool changes. */
export function changedFile(input: JsonObject): string | undefined {
  const names = ['file_path', 'filePath', 'notebook_path', 'absolute_path', 'path']
  return names.map((name) => input[name]).find((path) => typeof path === 'string')
}
