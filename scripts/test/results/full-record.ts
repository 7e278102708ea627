import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Notes that all long tests have passed at the commit that is checked out, if nothing else is. */
export function recordFull(root: string, folder: string): void {
  const commit = cleanCommit(root)
  if (commit === undefined) {
    console.log('not recorded as passed: there are uncommitted changes')
    return
  }
  const path = recordPath(folder, commit)
  mkdirSync(join(folder, 'full'), { recursive: true })
  writeFileSync(path, `${new Date().toISOString()}\n`)
  console.log(`recorded that ${commit} has passed in full`)
}

/** An error says what to do if the commit has not passed in full. */
export function requireFull(commit: string, folder: string): void {
  if (existsSync(recordPath(folder, commit))) return
  throw new Error(
    `no record that commit ${commit} has passed in full: run "npm run test:full -- --no-cache" at this commit first`,
  )
}

function recordPath(folder: string, commit: string): string {
  return join(folder, 'full', commit)
}

export function headCommit(root: string): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
}

function cleanCommit(root: string): string | undefined {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  return changes.trim() === '' ? headCommit(root) : undefined
}
