import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A CustomResourceDefinition of the chart. Only the API server parses the text. */
export interface DefinitionFile {
  /** For example `agentruns.agents.proompteng.ai`. */
  readonly name: string
  readonly yaml: string
}

/** Reads all definitions in a folder. File names have the form `<group>_<plural>.yaml`. */
export async function readDefinitionFiles(folder: string): Promise<readonly DefinitionFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort()
  return Promise.all(
    files.map(async (file) => {
      const [, group, plural] = /^([a-z0-9.-]+)_([a-z0-9]+)\.yaml$/.exec(file) ?? []
      if (!group || !plural) throw new Error(`${file} is not named <group>_<plural>.yaml`)
      return { name: `${plural}.${group}`, yaml: await readFile(join(folder, file), 'utf8') }
    }),
  )
}
