import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { KubeObject } from '@agents/kube'
import { type Document, parseAllDocuments } from 'yaml'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'

interface ManifestOptions {
  /** Whether objects may have no name, because the caller gives them one. */
  readonly nameless?: boolean
}

/** The objects of a file, of all YAML and JSON files of a folder, or of the standard input (`-`). */
export async function readManifests(
  path: string,
  context: CommandContext,
  options: ManifestOptions = {},
): Promise<KubeObject[]> {
  if (path === '-') return parseManifests(await context.readStdin(), 'standard input', options)
  const place = resolve(context.workingDirectory, path)
  const found = await stat(place).catch(() => undefined)
  if (found === undefined) throw usageFailure(`file ${path} does not exist`)
  const files = found.isDirectory()
    ? (await readdir(place))
        .filter((name) => /\.(ya?ml|json)$/.test(name))
        .toSorted()
        .map((name) => join(place, name))
    : [place]
  if (files.length === 0) throw usageFailure(`no YAML or JSON file found in ${path}`)
  const texts = await Promise.all(
    files.map((file) =>
      readFile(file, 'utf8').catch((error: Error) => {
        throw usageFailure(`${file} cannot be read: ${error.message}`)
      }),
    ),
  )
  return texts.flatMap((text, index) => parseManifests(text, files[index] ?? path, options))
}

export function parseManifests(
  text: string,
  origin: string,
  options: ManifestOptions = {},
): KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw usageFailure(`${origin} is not valid YAML: ${error.message}`)
    const value = contentOf(document, origin)
    if (value === null || value === undefined) return []
    return listed(value).map((each) => checked(each, origin, options))
  })
}

function contentOf(document: Document, origin: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // A parsed document can still have a bad alias: without an anchor, or expanded too often.
    throw usageFailure(
      `${origin} is not valid YAML: ${error instanceof Error ? error.message : error}`,
    )
  }
}

function listed(value: unknown): unknown[] {
  const { kind, items } = value as { kind?: unknown; items?: unknown }
  return kind === 'List' && Array.isArray(items) ? items : [value]
}

function checked(value: unknown, origin: string, { nameless }: ManifestOptions): KubeObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<KubeObject>
  const missing = [
    ...(typeof apiVersion === 'string' ? [] : ['apiVersion']),
    ...(typeof kind === 'string' ? [] : ['kind']),
    ...(metadata?.name || nameless === true ? [] : ['metadata.name']),
  ]
  if (missing.length === 0) return value as KubeObject
  const what = typeof kind === 'string' ? `a ${kind}` : 'an object'
  throw usageFailure(`${origin}: ${what} has no ${missing.join(' and no ')}`)
}
