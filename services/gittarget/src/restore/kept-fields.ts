import { isMap, type Json } from '../document/json.ts'

/**
 * The fields that an object keeps although Git does not have them: apply changes and adds fields, and removes only
 * those that it had applied before.
 */
export function keptFields(
  inGit: Json | undefined,
  inCluster: Json | undefined,
  at = '',
): string[] {
  if (isMap(inGit) && isMap(inCluster)) {
    return Object.entries(inCluster).flatMap(([name, value]) => {
      const path = /^[\w-]+$/.test(name) ? `${at}.${name}` : `${at}[${JSON.stringify(name)}]`
      return Object.hasOwn(inGit, name) ? keptFields(inGit[name], value, path) : [path]
    })
  }
  if (!Array.isArray(inGit) || !Array.isArray(inCluster)) return []
  const wanted = inGit as readonly Json[]
  return (inCluster as readonly Json[]).flatMap((item, index) => {
    const name = isMap(item) && typeof item.name === 'string' ? item.name : undefined
    const path = `${at}[${name ?? index}]`
    const own =
      name === undefined ? wanted[index] : wanted.find((each) => isMap(each) && each.name === name)
    return own === undefined ? [path] : keptFields(own, item, path)
  })
}
