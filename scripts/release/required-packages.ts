export interface LockedPackage {
  readonly version?: string
  readonly name?: string
  readonly integrity?: string
  readonly license?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** The paths in a lock file of all packages that workspaces or packages need at run time, the latter included. */
export function requiredPackages(
  { packages }: LockFile,
  folders: readonly string[],
): ReadonlySet<string> {
  const found = new Set(folders.filter((path) => path.includes('node_modules/')))
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies } = packages[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const target = resolve(packages, path, name)
      if (target === undefined || found.has(target) || packages[target]?.link === true) continue
      found.add(target)
      visit(target)
    }
  }
  for (const folder of folders) visit(folder)
  return found
}

/** As Node resolves it: in the node_modules folder of the package, then in those above it. */
function resolve(packages: LockFile['packages'], from: string, name: string): string | undefined {
  const above = from.split('/node_modules/')
  const folders = above.map((_, index) =>
    above.slice(0, above.length - index).join('/node_modules/'),
  )
  return [
    ...folders.map((folder) => `${folder}/node_modules/${name}`),
    `node_modules/${name}`,
  ].find((path) => path in packages)
}
