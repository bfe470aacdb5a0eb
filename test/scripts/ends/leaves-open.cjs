describe('a process', () => {
  it('leaves a timer behind', () => void setInterval(() => {}, 1000));
});
