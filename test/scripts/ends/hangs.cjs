describe('a process', () => {
  it('passes', () => {});
  it('never comes back', () => {
    for (;;);
  });
});
