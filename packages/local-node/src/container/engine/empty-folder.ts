import { existsSync } from 'node:fs'
import { mountArgument } from './mount-argument.ts'

/** Name of an image without files. */
export const emptyImage = 'agents.local/empty:local'

/** Content of the empty image: an archive ends with two blocks of zeros. */
export const emptyArchive = Buffer.alloc(1024)

/** Empties a folder as root in a container that has only the machine's programs and the folder. */
export function emptyingArguments(path: string): string[] {
  const folders = ['/usr', '/bin', '/lib', '/lib64'].filter((folder) => existsSync(folder))
  const mounts = [
    ...folders.map((folder) => ({ source: folder, mountPath: folder, readOnly: true })),
    { source: path, mountPath: '/folder', readOnly: false },
  ]
  return [
    ...['run', '--rm', '--pull', 'never', '--network', 'none', '--log-driver', 'none'],
    ...['--user', '0:0', '--cap-drop', 'ALL', '--cap-add', 'DAC_OVERRIDE', '--cap-add', 'FOWNER'],
    ...['--security-opt', 'no-new-privileges', '--security-opt', 'label=disable'],
    ...mounts.flatMap((mount) => ['--mount', mountArgument(mount)]),
    ...['--entrypoint', 'find', emptyImage, '/folder', '-mindepth', '1', '-delete'],
  ]
}
