/** Who asks in the tests, beside the administrator. Both subjects know the same tokens. */
export const tokens = {
  viewer: { token: 'viewer-token', user: 'viewer', groups: ['viewers'] },
  editor: { token: 'editor-token', user: 'editor', groups: ['editors'] },
  nobody: { token: 'nobody-token', user: 'nobody', groups: [] },
} as const
