import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Copies the files of the checkout to a new folder. What is installed is linked: nothing of it may be changed there.
 * The links of workspaces in node_modules are relative, so they lead to the copies.
 */
export function scratchCopy(root: string, paths: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'agents-mutations-'))
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true })
  }
  const installed = globSync('{.,*,*/*,*/*/*}/node_modules', {
    cwd: root,
    exclude: (path) => path.includes('node_modules/'),
  })
  for (const path of new Set(installed)) {
    execFileSync('cp', ['-al', join(root, path), join(folder, path)])
    // Programs write to their caches.
    for (const cache of ['.cache', '.vite', '.vite-temp']) {
      rmSync(join(folder, path, cache), { recursive: true, force: true })
    }
  }
  // Tests ask git for the files of the project.
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  execFileSync('git', ['add', '--all', '--force', '--', ...topOf(paths)], { cwd: folder })
  return folder
}

function topOf(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => path.split('/')[0] ?? path))]
}
