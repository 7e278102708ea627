import { createRequire } from 'node:module'
import { type KubeObject, stringifyJson } from '@agents/kube'
import { visibleJson } from '../cli/terminal-text.ts'

export type ObjectFormat = 'json' | 'yaml' | 'name'

/** One object as itself, several as a List, as kubectl has it. Ends with a newline. */
export function showObjects(
  objects: readonly KubeObject[],
  format: ObjectFormat,
  single: boolean,
): string {
  if (format === 'name') return objects.map((object) => `${objectName(object)}\n`).join('')
  const rendered = objects.map(withoutBookkeeping)
  const [only] = rendered
  const document =
    single && only !== undefined
      ? only
      : { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: rendered }
  return format === 'json'
    ? prettyJson(document)
    : yamlLibrary().stringify(document, { lineWidth: 0 })
}

/** `agentrun.agents.proompteng.ai/first`, `pod/first` */
export function objectName({ apiVersion, kind, metadata }: KubeObject): string {
  const [group, version] = apiVersion.split('/')
  const type = version === undefined ? kind : `${kind}.${group}`
  return `${type.toLowerCase()}/${metadata.name}`
}

/** Whole numbers beyond what JavaScript counts keep all their digits. */
function prettyJson(document: unknown): string {
  const hasBig = (value: unknown): boolean =>
    typeof value === 'bigint' ||
    (typeof value === 'object' && value !== null && Object.values(value).some(hasBig))
  return hasBig(document)
    ? visibleJson(`${stringifyJson(document)}\n`)
    : visibleJson(`${JSON.stringify(document, undefined, 2)}\n`)
}

function withoutBookkeeping<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const require = createRequire(import.meta.url)

/** Loaded on first use: it would take a fifth of the time of `agentctl get`. */
function yamlLibrary(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml')
}
