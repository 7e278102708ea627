import type { GitErrorCode } from '../git-error.ts'

/**
 * Classifies a failure by git's messages in the C locale, since its exit code is 128 for all of them. The first
 * matching row decides: a host key failure, for example, is followed by "could not read from remote repository".
 */
export function classifyFailure(stderr: string): GitErrorCode {
  return (
    rows.find(([, patterns]) => patterns.some((pattern) => pattern.test(stderr)))?.[0] ?? 'failed'
  )
}

const rows: readonly (readonly [GitErrorCode, readonly RegExp[]])[] = [
  ['disk-full', [/no space left on device/i, /disk quota exceeded/i]],
  [
    'host-key',
    [/host key verification failed/i, /host key is known for/i, /remote host identification has/i],
  ],
  [
    'certificate',
    [
      /certificate (problem|verification failed|verify failed|subject name|has expired)/i,
      /no alternative certificate/i,
      /self-signed certificate/i,
      /local issuer certificate/i,
    ],
  ],
  [
    'auth',
    [
      /authentication failed/i,
      /permission denied \(/i,
      /terminal prompts disabled/i,
      /could not read (username|password)/i,
      /returned error: 40[13]/i,
      /invalid credentials/i,
      /access denied/i,
      /too many authentication failures/i,
      /write access to repository not granted/i,
    ],
  ],
  [
    'not-found',
    [
      /repository '[^']*' not found/im,
      /repository not found/im,
      /does not appear to be a git repository/im,
      /returned error: (404|410)/im,
      /no such file or directory\b.*remote/im,
      /does not exist$/im,
    ],
  ],
  [
    'refused',
    [
      /transport '[^']*' not allowed/i,
      /unable to update url base from redirection/i,
      /returned error: 3\d\d/i,
    ],
  ],
  [
    'refused',
    [
      /mismatched algorithms/i,
      /unsupported object format/i,
      /does not support this repository's hash algorithm/i,
    ],
  ],
  [
    'timeout',
    [
      /operation timed out/i,
      /connection timed out/i,
      /timed out after/i,
      /operation too slow/i,
      /timeout, server .* not responding/i,
    ],
  ],
  [
    'unreachable',
    [
      /could not resolve host/i,
      /couldn't connect/i,
      /failed to connect/i,
      /connection (refused|reset|closed)/i,
      /no route to host/i,
      /network is unreachable/i,
      /remote end hung up/i,
      /unexpected disconnect/i,
      /early eof/i,
      /empty reply/i,
      /returned error: (429|5\d\d)/i,
      /temporary failure in name resolution/i,
      /ssl/i,
      /tls/i,
      /certificate/i,
      /rpc failed/i,
      /could not read from remote repository/i,
      /the remote end/i,
      /unable to access/i,
    ],
  ],
  [
    'local',
    [
      /not a git repository/i,
      /unable to (read|write|create|open|find)/i,
      /object file .* is empty/i,
      /bad object/i,
      /loose object/i,
      /corrupt/i,
      /missing (blob|tree|commit)/i,
      /cannot (open|create|write|read)/i,
      /packfile/i,
      /index-pack failed/i,
      /shallow file has changed/i,
    ],
  ],
]
