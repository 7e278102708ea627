import { foldersOf, type Suite } from '../test/suites.ts'

/** The files of some tests, and the vitest projects that run them. */
export interface TestFiles {
  readonly files: readonly string[]
  readonly projects: readonly string[]
}

interface Tiers {
  /** The quick tests and the `*.check.ts`. */
  readonly gate: TestFiles
  readonly full: TestFiles
}

const endings = ['test', 'check', 'full']

/** The files with these names, whatever their tier. A name may have a file in several. */
export function testFiles(
  names: readonly string[],
  paths: readonly string[],
  suites: readonly Suite[],
): Tiers {
  const known = new Set(paths)
  const files = names
    .flatMap((name) => endings.map((ending) => `${name}.${ending}.ts`))
    .filter((file) => known.has(file))
  const inGate = files.filter((file) => !file.endsWith('.full.ts'))
  const withProjects = (some: readonly string[]): TestFiles => {
    const projects = some.map((file) =>
      isQuick(file) ? 'quick' : suites.find((suite) => isOf(suite, file))?.name,
    )
    return { files: some, projects: [...new Set(projects)].filter((name) => name !== undefined) }
  }
  return { gate: withProjects(inGate), full: withProjects(files) }
}

function isQuick(file: string): boolean {
  return file.endsWith('.test.ts')
}

function isOf({ name }: Suite, file: string): boolean {
  return foldersOf(name).some((folder) => file.startsWith(`${folder}/`))
}
