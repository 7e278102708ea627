import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The sources of all workspaces, without tests. */
export async function readSources(root: string): Promise<readonly string[]> {
  const paths = globSync('{packages,services,apps}/**/src/**/*.{ts,mjs}', {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules') || path.endsWith('.test.ts'),
  })
  return Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')))
}

/** Environment variables that are read directly, without a declared setting. */
export function variablesIn(source: string): readonly string[] {
  return matches(source, /\b(?:env|environment)\.([A-Z][A-Z0-9_]+)/g)
}

/** Metrics that are registered, and values of their labels: the names in snake case where labels are declared. */
export function metricsIn(source: string): readonly string[] {
  if (!/\blabelNames\b/.test(source)) return []
  return matches(source, /'([a-z]+(?:_[a-z]+)+)'/g)
}

/** Labels, annotations, finalizers and API versions under our domain. */
export function domainNamesIn(source: string): readonly string[] {
  return matches(source, /['"`]((?:[a-z]+\.)*proompteng\.ai\/[\w./-]+)['"`]/g)
}

/** What one of the functions above finds in sources, once each and sorted. */
export function namesIn(
  sources: readonly string[],
  find: (source: string) => readonly string[],
): readonly string[] {
  return [...new Set(sources.flatMap(find))].toSorted()
}

function matches(source: string, pattern: RegExp): readonly string[] {
  return [...source.matchAll(pattern)].map(([, name = '']) => name)
}
