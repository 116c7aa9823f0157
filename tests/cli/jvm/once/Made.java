/** What is made in a choice, and put into a variable, is not null. */
public class Made {
    private Object f;
    private boolean done;

    public void change() {
        f = f == null ? new Object() : null;
        if (f == null) {
            throw new IllegalStateException();
        }
        f = null;
    }

    public void noted() {
        IllegalStateException no = done ? new IllegalStateException() : null;
        if (no != null) {
            throw no;
        }
        done = true;
    }

    public void caught() {
        Object found = null;
        try {
            if (done) {
                throw new IllegalStateException();
            }
        } catch (IllegalStateException e) {
            found = e;
        }
        if (found != null) {
            throw new IllegalArgumentException();
        }
    }
}
