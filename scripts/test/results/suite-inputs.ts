import { posix } from 'node:path'
import { foldersOf, type Suite } from '../suites.ts'
import type { ProjectFiles } from './file-set.ts'
import { type References, referencesOf } from './references.ts'

/** What every suite depends on: how tests are run, and what is installed. The settings of a suite are in its key. */
const common = [
  ...['.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts'],
  ...['scripts/require-node.mjs', 'scripts/test/run-tests.ts', 'scripts/test/tally-reporter.ts'],
]

const code = /\.(?:ts|tsx|mjs|js|sh)$/
/** Tests are inputs of their own suite only, and no suite runs those of hours. */
const otherTests = /\.(?:test|check|full)\.ts$/
const never = /\.soak\.ts$/

/** Workspaces of tools, each file of which is imported by those that need it. */
const byFile = new Set(['@agents/scripts', '@agents/tests'])

/**
 * The files that can change the result of a suite: the closure of what its files name. A workspace counts whole, since
 * its programs are started by name and read files beside them; a file of tests/ counts with the data of its folder.
 */
export function suiteInputs(suite: Suite, files: ProjectFiles): readonly string[] {
  return new InputClosure(files).of(suite)
}

class InputClosure {
  readonly #files: ProjectFiles
  readonly #workspaces: ReadonlyMap<string, string>
  readonly #found = new Set<string>()
  readonly #folders = new Set<string>()

  constructor(files: ProjectFiles) {
    this.#files = files
    this.#workspaces = workspaceFolders(files)
  }

  of(suite: Suite): readonly string[] {
    for (const path of common) if (this.#files.has(path)) this.#found.add(path)
    for (const folder of foldersOf(suite.name)) this.#addOwnTests(folder)
    for (const path of [suite.globalSetup, ...(suite.inputs ?? [])]) {
      if (path === '.') for (const each of this.#files.paths) this.#addFile(each)
      else if (path !== undefined) this.#addPath(path)
    }
    return [...this.#found].toSorted()
  }

  #addOwnTests(folder: string): void {
    const own = this.#filesBelow(folder).filter((path) => !never.test(path))
    for (const path of own) {
      if (!path.endsWith('.test.ts')) this.#add(path)
    }
  }

  #addPath(path: string): void {
    const workspace = this.#workspaceOf(path)
    if (workspace !== undefined) this.#addFolder(workspace)
    else if (this.#files.has(path)) this.#addFile(path)
    else this.#addFolder(path)
  }

  #addFolder(folder: string): void {
    if (this.#folders.has(folder)) return
    this.#folders.add(folder)
    for (const path of this.#filesBelow(folder)) this.#addFile(path)
  }

  #addFile(path: string): void {
    if (otherTests.test(path) || never.test(path)) return
    this.#add(path)
  }

  #add(path: string): void {
    if (this.#found.has(path)) return
    this.#found.add(path)
    this.#addDataBeside(path)
    if (!code.test(path)) return
    const references = referencesOf(path, this.#files)
    this.#follow(path, this.#workspaceOf(path) === undefined ? references : ofProduct(references))
  }

  #follow(from: string, { paths, workspaces }: References): void {
    for (const name of workspaces) {
      const folder = this.#workspaces.get(name)
      if (folder !== undefined) this.#addFolder(folder)
    }
    for (const path of paths) {
      // A folder above the file is where it is, not what it reads.
      if (!from.startsWith(`${path}/`)) this.#addPath(path)
    }
  }

  /** Fixtures, recordings and programs in other languages are read by names that are put together. */
  #addDataBeside(path: string): void {
    if (!path.startsWith('tests/')) return
    const folder = path.split('/').slice(0, 3).join('/')
    if (!this.#files.hasFolder(folder) || this.#folders.has(`data of ${folder}`)) return
    this.#folders.add(`data of ${folder}`)
    for (const beside of this.#filesBelow(folder)) {
      if (!/\.tsx?$/.test(beside)) this.#add(beside)
    }
  }

  #filesBelow(folder: string): readonly string[] {
    return this.#files.paths.filter((path) => path.startsWith(`${folder}/`))
  }

  #workspaceOf(path: string): string | undefined {
    let folder = path
    while (folder !== '.') {
      if ([...this.#workspaces.values()].includes(folder)) return folder
      folder = posix.dirname(folder)
    }
    return undefined
  }
}

/** Names such as `README.md` mean files of repositories that the product works on, not ours. */
function ofProduct({ paths, workspaces }: References): References {
  return { workspaces, paths: paths.filter((path) => path.includes('/') && !path.startsWith('.')) }
}

/** The folder of each workspace by the name of its package. */
function workspaceFolders(files: ProjectFiles): Map<string, string> {
  const manifests = files.paths.filter((path) => path.endsWith('/package.json'))
  return new Map(
    manifests.flatMap((path) => {
      const { name } = JSON.parse(files.text(path))
      const isOurs = typeof name === 'string' && name.startsWith('@agents/') && !byFile.has(name)
      return isOurs ? [[name, posix.dirname(path)] as const] : []
    }),
  )
}
