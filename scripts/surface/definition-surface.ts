import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import type { Json } from './surface.ts'

/** The CustomResourceDefinitions by file, without the texts in them. */
export async function definitionSurface(root: string): Promise<Json> {
  const paths = globSync(join(root, 'charts', 'agents', 'crds', '*.yaml')).toSorted()
  const entries = paths.map(async (path) => {
    const definition: unknown = parse(await readFile(path, 'utf8'))
    return [basename(path, '.yaml'), withoutTexts(definition)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/**
 * A copy without descriptions and messages of rules. A field may itself be called `description` or `message`: its
 * schema is an object.
 */
export function withoutTexts(value: unknown): Json {
  return JSON.parse(
    JSON.stringify(value, (key, child) =>
      texts.has(key) && typeof child === 'string' ? undefined : child,
    ),
  )
}

const texts: ReadonlySet<string> = new Set(['description', 'message', 'messageExpression'])
