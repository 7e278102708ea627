import { posix } from 'node:path'
import type { ProjectFiles } from './file-set.ts'

/** What a file of code names: files and folders of the checkout, and workspaces. */
export interface References {
  readonly paths: readonly string[]
  readonly workspaces: readonly string[]
}

/** A quoted text without interpolation. */
const quoted = /'([^'\n\\]+)'|"([^"\n\\]+)"|`([^`\n\\$]+)`/g
/** Parts of a path as `join` takes them. */
const joined =
  /'(?:apps|argocd|charts|docs|images|packages|scripts|services|tests)'(?:,\s*'[^'\n]+')*/g
/** Folders whose name alone says that all their files are read. The others are API groups and resources, too. */
const wholeFolders = new Set(['argocd', 'charts', 'docs', 'images'])

/**
 * What the text of a file names in quotes: imports, programs that it starts and files that it reads. A name that only
 * looks like a path costs a test run, and one that is overlooked would keep a result that has become wrong, so every
 * quoted text that could be a path counts.
 */
export function referencesOf(path: string, files: ProjectFiles): References {
  const text = files.text(path)
  const paths = new Set<string>()
  const workspaces = new Set<string>()
  for (const [, single, double, template] of text.matchAll(quoted)) {
    const name = single ?? double ?? template ?? ''
    const [workspace] = /^@agents\/[a-z-]+/.exec(name) ?? []
    if (workspace !== undefined) workspaces.add(workspace)
    for (const found of pathsNamed(name, posix.dirname(path), files)) paths.add(found)
  }
  for (const [parts] of text.matchAll(joined)) {
    const segments = [...parts.matchAll(/'([^']+)'/g)].map(([, part = '']) => part)
    const found = longestKnown(segments.join('/'), files)
    if (found?.includes('/')) paths.add(found)
  }
  return { paths: [...paths], workspaces: [...workspaces] }
}

function pathsNamed(name: string, folder: string, files: ProjectFiles): string[] {
  if (wholeFolders.has(name)) return files.hasFolder(name) ? [name] : []
  const fromRoot = name.replace(/^\.\//, '')
  const candidates = name.startsWith('.') ? [posix.join(folder, name), fromRoot] : [name]
  return candidates.flatMap((candidate) => {
    if (files.has(candidate)) return [candidate]
    // A folder by its name alone is too often something else.
    const found = candidate.includes('/') ? longestKnown(candidate, files) : undefined
    return found?.includes('/') ? [found] : []
  })
}

/** The longest start of a path, or of a pattern such as `docs/*.md`, that is a file or folder. */
function longestKnown(path: string, files: ProjectFiles): string | undefined {
  const parts = path.split('/').filter((part) => part !== '')
  for (let length = parts.length; length > 0; length--) {
    const start = parts.slice(0, length).join('/')
    if (files.has(start) || files.hasFolder(start)) return start
  }
  return undefined
}
