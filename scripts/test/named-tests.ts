import { foldersOf, type Suite } from './suites.ts'

/** The vitest projects that run what `npm test -- PATH…` names. */
interface NamedTests {
  readonly projects: readonly string[]
  /** Paths that no test file matches. */
  readonly unknown: readonly string[]
}

/**
 * The file name decides: a path that matches quick tests (`*.test.ts`) runs those; a path that matches only long ones
 * (`*.check.ts`) runs these in their suites. As in vitest, a path matches every file that contains it.
 */
export function namedTests(
  paths: readonly string[],
  files: readonly string[],
  suites: readonly Suite[],
): NamedTests {
  const projects = new Set<string>()
  const unknown: string[] = []
  for (const path of paths) {
    const matching = files.filter((file) => file.includes(path.replace(/^\.\//, '')))
    if (matching.length === 0) unknown.push(path)
    const isQuick = matching.some((file) => file.endsWith('.test.ts'))
    const found = isQuick
      ? ['quick']
      : suites
          .map(({ name }) => name)
          .filter((name) => matching.some((file) => isIn(file, foldersOf(name))))
    for (const project of found) projects.add(project)
  }
  return { projects: [...projects], unknown }
}

function isIn(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file.startsWith(`${folder}/`))
}
