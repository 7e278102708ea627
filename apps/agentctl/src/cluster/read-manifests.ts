import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { KubeObject } from '@agents/kube'
import { type Document, parseAllDocuments } from 'yaml'
import { usageFailure } from '../cli/command-failure.ts'
import type { World } from '../cli/world.ts'

/** The objects of a file, of all YAML and JSON files of a folder, or of the standard input (`-`). */
export async function readManifests(path: string, world: World): Promise<KubeObject[]> {
  if (path === '-') return parseManifests(await world.readStdin(), 'standard input')
  const place = resolve(world.workingDirectory, path)
  const found = await stat(place).catch(() => undefined)
  if (found === undefined) throw usageFailure(`there is no file ${path}`)
  const files = found.isDirectory()
    ? (await readdir(place))
        .filter((name) => /\.(ya?ml|json)$/.test(name))
        .toSorted()
        .map((name) => join(place, name))
    : [place]
  if (files.length === 0) throw usageFailure(`there is no YAML or JSON file in ${path}`)
  const texts = await Promise.all(
    files.map((file) =>
      readFile(file, 'utf8').catch((error: Error) => {
        throw usageFailure(`${file} cannot be read: ${error.message}`)
      }),
    ),
  )
  return texts.flatMap((text, index) => parseManifests(text, files[index] ?? path))
}

export function parseManifests(text: string, origin: string): KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw usageFailure(`${origin} is no YAML: ${error.message}`)
    const value = contentOf(document, origin)
    if (value === null || value === undefined) return []
    return listed(value).map((each) => checked(each, origin))
  })
}

function contentOf(document: Document, origin: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // Of what parses, only an alias can still be wrong: without an anchor, or too often the same.
    throw usageFailure(`${origin} is no YAML: ${error instanceof Error ? error.message : error}`)
  }
}

function listed(value: unknown): unknown[] {
  const { kind, items } = value as { kind?: unknown; items?: unknown }
  return kind === 'List' && Array.isArray(items) ? items : [value]
}

function checked(value: unknown, origin: string): KubeObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<KubeObject>
  const missing = [
    ...(typeof apiVersion === 'string' ? [] : ['apiVersion']),
    ...(typeof kind === 'string' ? [] : ['kind']),
    ...(metadata?.name ? [] : ['metadata.name']),
  ]
  if (missing.length === 0) return value as KubeObject
  const what = typeof kind === 'string' ? `a ${kind}` : 'something'
  throw usageFailure(`${origin} holds ${what} without ${missing.join(' and ')}`)
}
