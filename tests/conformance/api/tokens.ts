/** The users of the tests besides the administrator. Both subjects accept the same tokens. */
export const tokens = {
  viewer: { token: 'viewer-token', user: 'viewer', groups: ['viewers'] },
  editor: { token: 'editor-token', user: 'editor', groups: ['editors'] },
  /** Has cluster-wide rights, which must not be given to the users above: all suites share them. */
  author: { token: 'author-token', user: 'author', groups: ['authors'] },
  nobody: { token: 'nobody-token', user: 'nobody', groups: [] },
} as const
