export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
}

export interface GroupVersionResource extends GroupVersion {
  readonly resource: string
}

export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/')
  if (slash === -1) return { group: '', version: apiVersion }
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

export function formatApiVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`
}
