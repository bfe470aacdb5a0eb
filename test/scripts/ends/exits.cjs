describe('a process', () => {
  it('passes', () => {});
  it('exits with 0 in a test', () => process.exit(0));
});
