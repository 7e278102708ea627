import type { GitErrorCode } from './git-error.ts'

/**
 * Git ends with 128 whatever went wrong, so its words in the C locale are all there is to go by. The first row that matches
 * decides: a host key failure, for one, is followed by "could not read from remote repository".
 */
export const classifyFailure = (stderr: string): GitErrorCode =>
  rows.find(([pattern]) => pattern.test(stderr))?.[1] ?? 'failed'

const rows: readonly (readonly [RegExp, GitErrorCode])[] = [
  [/no space left on device|disk quota exceeded/i, 'disk-full'],
  [
    /host key verification failed|host key is known for|remote host identification has/i,
    'host-key',
  ],
  [
    /certificate (problem|verification failed|verify failed|subject name|has expired)|no alternative certificate|self-signed certificate|local issuer certificate/i,
    'certificate',
  ],
  [
    /authentication failed|permission denied \(|terminal prompts disabled|could not read (username|password)|returned error: 40[13]|invalid credentials|access denied|too many authentication failures|write access to repository not granted/i,
    'auth',
  ],
  [
    /repository '[^']*' not found|repository not found|does not appear to be a git repository|returned error: (404|410)|no such file or directory\b.*remote|does not exist$/im,
    'not-found',
  ],
  [
    /transport '[^']*' not allowed|unable to update url base from redirection|returned error: 3\d\d/i,
    'refused',
  ],
  [
    /mismatched algorithms|unsupported object format|does not support this repository's hash algorithm/i,
    'refused',
  ],
  [
    /operation timed out|connection timed out|timed out after|operation too slow|timeout, server .* not responding/i,
    'timeout',
  ],
  [
    /could not resolve host|couldn't connect|failed to connect|connection (refused|reset|closed)|no route to host|network is unreachable|remote end hung up|unexpected disconnect|early eof|empty reply|returned error: (429|5\d\d)|temporary failure in name resolution|ssl|tls|certificate|rpc failed|could not read from remote repository|the remote end|unable to access/i,
    'unreachable',
  ],
  [
    /not a git repository|unable to (read|write|create|open|find)|object file .* is empty|bad object|loose object|corrupt|missing (blob|tree|commit)|cannot (open|create|write|read)|packfile|index-pack failed|shallow file has changed/i,
    'local',
  ],
]
