import type { UserInfo } from '../../request/user-info.ts'

/**
 * Parses kube-apiserver's `--token-auth-file`: CSV lines of token, user, uid and, optionally, groups as one quoted,
 * comma-separated column. Errors contain the line number but not the line, which holds a token.
 */
export function parseTokenFile(text: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const columns = splitColumns(line)
    const [token = '', name = '', uid = '', groups = ''] = columns ?? []
    if (columns === undefined || columns.length < 3 || token === '' || name === '') {
      throw new Error(
        `invalid line ${index + 1} in the token file: expected token,user,uid[,"group1,group2"]`,
      )
    }
    users.set(token, {
      name,
      uid,
      groups: groups === '' ? [] : groups.split(',').map((group) => group.trim()),
    })
  }
  return users
}

/** Returns `undefined` if a quote is not closed or not followed by a comma. */
function splitColumns(line: string): string[] | undefined {
  const columns: string[] = []
  let at = 0
  while (at <= line.length) {
    if (line[at] !== '"') {
      const end = line.indexOf(',', at)
      columns.push(line.slice(at, end === -1 ? undefined : end).trim())
      at = end === -1 ? line.length + 1 : end + 1
      continue
    }
    let column = ''
    at += 1
    for (;;) {
      const end = line.indexOf('"', at)
      if (end === -1) return undefined
      column += line.slice(at, end)
      at = end + 1
      if (line[at] !== '"') break
      column += '"'
      at += 1
    }
    columns.push(column)
    if (at < line.length && line[at] !== ',') return undefined
    at += 1
  }
  return columns
}
