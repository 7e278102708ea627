/** Groups of GitLab may be nested. */
export function repositoryName(name: string | undefined): string | undefined {
  if (name === undefined || name.length > 300) return undefined
  const parts = name.split('/')
  const isName = parts.length > 1 && parts.every((part) => /^(?!\.{1,2}$)[\w.-]+$/.test(part))
  return isName ? name : undefined
}
