describe('a process', () => {
  it('passes', () => {});
});
