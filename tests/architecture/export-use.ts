import { dirname, join } from 'node:path'

interface SourceFile {
  /** Relative to the root of the project, separated by slashes. */
  readonly path: string
  readonly text: string
}

export interface UnusedExport {
  readonly path: string
  readonly name: string
  readonly isType: boolean
  /** `nobody`: no file uses the symbol; `tests`: tests alone do; `own file`: the `export` keyword is not needed. */
  readonly usedBy: 'nobody' | 'tests' | 'own file'
}

interface Import {
  readonly specifier: string
  /** Undefined if the whole module is imported. */
  readonly names: readonly string[] | undefined
}

interface Module {
  readonly path: string
  readonly code: string
  readonly declared: readonly string[]
  /** exported name → where the symbol comes from */
  readonly forwarded: ReadonlyMap<string, { specifier: string; name: string }>
  readonly imports: readonly Import[]
}

/** The exports that no other file imports, or tests alone. `entrances` maps the name of a workspace to its index. */
export function unusedExports(
  files: readonly SourceFile[],
  entrances: ReadonlyMap<string, string>,
): UnusedExport[] {
  const modules = new Map(files.map((file) => [file.path, readModule(file)]))
  const users = new Map<string, Set<string>>()

  function resolve(path: string, specifier: string): string | undefined {
    return specifier.startsWith('.') ? join(dirname(path), specifier) : entrances.get(specifier)
  }

  function markUsed(target: string | undefined, name: string, user: string): void {
    const module = modules.get(target ?? '')
    if (module === undefined) return
    const key = `${module.path} ${name}`
    users.set(key, (users.get(key) ?? new Set()).add(user))
    const source = module.forwarded.get(name)
    if (source) markUsed(resolve(module.path, source.specifier), source.name, user)
  }

  for (const { path, imports } of modules.values()) {
    for (const { specifier, names } of imports) {
      const target = resolve(path, specifier)
      const imported = modules.get(target ?? '')
      for (const name of names ?? exportsOf(imported)) markUsed(target, name, path)
    }
  }

  return [...modules.values()].flatMap((module) =>
    exportsOf(module).flatMap((name) => {
      const importers = [...(users.get(`${module.path} ${name}`) ?? [])]
      const usedBy = unusedBy(module, name, importers)
      return usedBy === undefined
        ? []
        : [{ path: module.path, name, isType: isType(module, name), usedBy }]
    }),
  )
}

function exportsOf(module: Module | undefined): string[] {
  return module ? [...module.declared, ...module.forwarded.keys()] : []
}

function unusedBy(
  module: Module,
  name: string,
  importers: readonly string[],
): UnusedExport['usedBy'] | undefined {
  const usedHere = module.declared.includes(name) && isMentionedTwice(module.code, name)
  if (importers.length === 0) return usedHere ? 'own file' : 'nobody'
  if (usedHere || isTest(module.path) || module.forwarded.has(name)) return undefined
  return importers.every(isTest) ? 'tests' : undefined
}

function isTest(path: string): boolean {
  return /^tests\/|\/testing\/|\.(test|check|full|soak)\.ts$/.test(path)
}

function isType({ code }: Module, name: string): boolean {
  return new RegExp(`^export (interface|type) ${name}\\b`, 'm').test(code)
}

/** The declaration is the first mention. */
function isMentionedTwice(code: string, name: string): boolean {
  const pattern = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g')
  return [...code.matchAll(pattern)].length > 1
}

function readModule({ path, text }: SourceFile): Module {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const declaration =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let|enum) ([\w$]+)/gm
  const clauses = [...code.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm)].flatMap(
    ([, names = '', specifier]) =>
      readNames(names).map(({ name, alias }) => ({ name, alias, specifier })),
  )
  return {
    path,
    code,
    declared: [
      ...new Set([
        ...[...code.matchAll(declaration)].map(([, name = '']) => name),
        ...clauses.flatMap(({ alias, specifier }) => (specifier === undefined ? [alias] : [])),
      ]),
    ],
    forwarded: new Map(
      clauses.flatMap(({ name, alias, specifier }) =>
        specifier === undefined ? [] : [[alias, { specifier, name }] as const],
      ),
    ),
    imports: [...staticImports(code), ...dynamicImports(code)],
  }
}

function staticImports(code: string): Import[] {
  return [
    ...code.matchAll(
      /^import (?:type )?(?:[\w$]+(?:, )?)?(?:\{([^}]*)\}|(\* as [\w$]+))? ?(?:from )?'([^']+)'/gm,
    ),
  ].map(([, names, all, specifier = '']) => ({
    specifier,
    names: all ? undefined : readNames(names ?? '').map(({ name }) => name),
  }))
}

function dynamicImports(code: string): Import[] {
  return [...code.matchAll(/\bimport\(\s*'([^']+)'/g)].map(([, specifier = '']) => ({
    specifier,
    names: undefined,
  }))
}

/** `a, type B as C` */
function readNames(list: string): { name: string; alias: string }[] {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', alias = name] = item.split(' as ')
      return { name, alias }
    })
}
