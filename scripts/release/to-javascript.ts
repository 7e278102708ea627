import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'

/** For each workspace by name, the source of its entry point from the root. */
type EntryPoints = ReadonlyMap<string, string>

/**
 * Converts a source to JavaScript, because Node strips no types below node_modules. Imports of workspaces become
 * relative, because npm links no workspaces there, and file names end in .js.
 */
export function toJavaScript(source: string, path: string, entryPoints: EntryPoints): string {
  const script = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source
  return script
    .replaceAll(
      /(\bfrom\s*|\bimport\s*|\bimport(?:\.meta\.resolve)?\(\s*)'(@agents\/[a-z-]+)'/g,
      (_, before: string, name: string) => `${before}'${pathTo(name, path, entryPoints)}'`,
    )
    .replaceAll(/'(\.{1,2}\/[^'\n]+)\.ts'/g, `'$1.js'`)
}

/** The path of a source in the package. */
export function scriptPath(path: string): string {
  return path.replace(/\.ts$/, '.js')
}

function pathTo(name: string, from: string, entryPoints: EntryPoints): string {
  const entryPoint = entryPoints.get(name)
  if (entryPoint === undefined) throw new Error(`${from} imports ${name}, which is not packaged`)
  const relative = posix.relative(posix.dirname(from), entryPoint)
  return relative.startsWith('.') ? relative : `./${relative}`
}
