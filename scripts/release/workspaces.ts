import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'

interface WorkspaceManifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
}

export interface Workspace {
  /** From the root, with slashes. */
  readonly folder: string
  readonly manifest: WorkspaceManifest
}

/** The workspaces of the project in the order of their folders. */
export async function listWorkspaces(root: string): Promise<readonly Workspace[]> {
  const { workspaces } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const folders = (workspaces as readonly string[])
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
    .map((path) => dirname(path).replaceAll(sep, '/'))
  return Promise.all(
    folders.toSorted().map(async (folder) => ({
      folder,
      manifest: JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')),
    })),
  )
}

/** A workspace and those that it depends on, directly or through others. */
export function withDependencies(
  name: string,
  workspaces: readonly Workspace[],
): readonly Workspace[] {
  const byName = new Map(workspaces.map((workspace) => [workspace.manifest.name, workspace]))
  const found = new Set<Workspace>()
  const visit = (wanted: string): void => {
    const workspace = byName.get(wanted)
    if (workspace === undefined || found.has(workspace)) return
    found.add(workspace)
    for (const dependency of Object.keys(workspace.manifest.dependencies ?? {})) visit(dependency)
  }
  visit(name)
  return workspaces.filter((workspace) => found.has(workspace))
}
