import { expect, test } from 'vitest'
import { mirrorCommands } from './mirror-commands.ts'

const quoted = (word: string): string => `<${word}>`

test.each([
  {
    because: 'a folder is cloned by its path, and nobody signs in',
    repository: { url: 'file:///srv/my%20record.git', needsCredentials: false },
    clone: 'git clone </srv/my record.git>',
    secret: [],
  },
  {
    because: 'a server wants user and password',
    repository: { url: 'https://git.example.test/a', needsCredentials: true },
    clone: 'git clone <https://git.example.test/a>',
    secret: [expect.stringMatching(/mirror-credentials .*username=USER .*password=FILE$/)],
  },
  {
    because: 'another one wants a key',
    repository: { url: 'git@git.example.test:a', needsCredentials: true },
    clone: 'git clone <git@git.example.test:a>',
    secret: [expect.stringMatching(/ssh-privatekey=FILE .*known_hosts=FILE$/)],
  },
])('$clone, because $because', ({ repository, clone, secret }) => {
  const { own, kubectl } = mirrorCommands(repository, quoted)
  expect(own.map(([command]) => command)).toContain(clone)
  expect(kubectl.map(([command]) => command)).toEqual(secret)
})
