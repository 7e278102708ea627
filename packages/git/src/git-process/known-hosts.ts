import { GitError } from '../git-error.ts'

/**
 * Checks a known_hosts text. `ssh` skips lines that it cannot read, and a list that was cut short would then look like
 * one that does not know the host; here any unreadable line is an error, and so is a list without entries.
 */
export function checkKnownHosts(text: string): void {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const entries = lines.flatMap((line, index) =>
    line === '' || line.startsWith('#') ? [] : [{ line, number: index + 1 }],
  )
  if (entries.length === 0) throw new GitError('host-key', 'the known_hosts list is empty')
  for (const { line, number } of entries) {
    if (!isEntry(line)) {
      throw new GitError('host-key', `line ${number} of the known_hosts list is not valid`)
    }
  }
}

function isEntry(line: string): boolean {
  const fields = line.split(/\s+/)
  if (fields[0]?.startsWith('@')) fields.shift()
  const [hosts = '', type = '', key = ''] = fields
  if (hosts === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(key)) return false
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length < 4) return false
  const length = bytes.readUInt32BE(0)
  return bytes.subarray(4, 4 + length).toString('latin1') === type
}
