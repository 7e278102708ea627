import { readdir, readFile } from 'node:fs/promises'

/** Numbers of the processes and of all their descendants. Empty if the kernel does not expose them. */
export async function withDescendants(roots: readonly number[]): Promise<Set<number>> {
  const children = new Map<number, number[]>()
  const names = await readdir('/proc').catch(() => [])
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
    // The second field is a name that may contain spaces and brackets.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    if (Number.isInteger(parent))
      children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = new Set<number>()
  const open = [...roots]
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    if (found.has(pid)) continue
    found.add(pid)
    open.push(...(children.get(pid) ?? []))
  }
  return found
}
